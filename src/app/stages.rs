//! The groups of tasks, in the order in which they are stopped: what is upstream has ended before what it feeds.

use crate::shutdown::Tasks;

#[derive(Debug)]
pub(super) struct Stages {
    pub(super) connections: Tasks,
    pub(super) requests: Tasks,
    pub(super) gatherers: Tasks,
    pub(super) recorders: Tasks,
    pub(super) sender: Tasks,
    pub(super) settler: Tasks,
    pub(super) background: Tasks,
}

impl Stages {
    pub(super) fn new() -> Self {
        Self {
            connections: Tasks::new("connections"),
            requests: Tasks::new("requests"),
            gatherers: Tasks::new("gatherers"),
            recorders: Tasks::new("recorders of answers"),
            sender: Tasks::new("the sender"),
            settler: Tasks::new("the settler"),
            background: Tasks::new("the background"),
        }
    }

    pub(super) async fn stop(&self) {
        for stage in [
            &self.connections,
            &self.requests,
            &self.gatherers,
            &self.recorders,
            &self.sender,
            &self.settler,
            &self.background,
        ] {
            stage.stop().await;
        }
    }
}
