"""What Schemathesis is told beside the document."""

import schemathesis
from hypothesis import strategies

# It has no pictures of its own.
for media_type in ("image/jpeg", "image/png", "image/webp"):
    schemathesis.openapi.media_type(media_type, strategies.binary())


@schemathesis.hook
def before_call(context, case, kwargs):
    """A lease that waits for a job has nothing new to say a minute later."""
    if isinstance(case.body, dict) and case.body.get("wait_seconds") in range(61):
        case.body["wait_seconds"] = 0
