//! What whoever makes or changes a target should know about its events (docs/API.md, section 12.2).

use super::DeliveryRequest;
use crate::gateway::WebhookPreset;
use crate::groupware::{JobLimit, KnownEvent};

impl DeliveryRequest {
    /// Which of the known classes with these names nothing has brought lately, and which the presets leave out for `account`.
    pub(super) async fn arrival_warnings(
        &self,
        account: Option<&str>,
        names: &[String],
    ) -> Vec<String> {
        let known = names.iter().filter_map(|name| KnownEvent::find(name));
        let known: Vec<_> = known.map(|known| known.class).collect();
        // A failure is logged by the store, and no reason to warn.
        let missing = self.deliveries.queue().not_arrived(&known).await;
        let missing = missing.unwrap_or_default();
        let missing = missing.iter().map(|class| self.not_arrived(class));
        let mut warnings: Vec<_> = missing.collect();
        let is_known = names.is_empty() || !known.is_empty();
        if let Some(account) = account.filter(|_| is_known) {
            warnings.extend(self.left_out(account, &known).await);
        }
        warnings
    }

    fn not_arrived(&self, class: &str) -> String {
        let brings = |preset: &&WebhookPreset| preset.webhooks.iter().any(|it| *it.event == *class);
        let presets = self.services.presets.iter().filter(brings);
        let presets: Vec<_> = presets.map(|preset| &*preset.name).collect();
        let brought = match &presets[..] {
            [] => "no preset brings them, an administrator can register a webhook for it".into(),
            [one] => format!("the preset {one} brings them"),
            several => format!("the presets {} bring them", several.join(" and ")),
        };
        format!("No event of the class {class} is among the newest that have arrived: {brought}")
    }

    /// A warning if the presets leave out events of `account`, since its id takes too much of a delivery's room.
    async fn left_out(&self, account: &str, names: &[&str]) -> Option<String> {
        let is_wanted = |class: &&str| names.is_empty() || names.contains(class);
        let presets = self.services.presets.iter().filter(|it| it.built_in);
        let webhooks = presets.flat_map(|preset| &preset.webhooks);
        let classes = webhooks.map(|it| &*it.event).filter(is_wanted);
        let mut classes: Vec<_> = classes.collect();
        classes.sort_unstable();
        classes.dedup();
        let shapes = &self.services.event_classes;
        let leaves_out = |limit| move |class: &&str| shapes.shape(class).leaves_out(account, limit);
        classes.retain(leaves_out(JobLimit::Before34));
        let limit = match &self.services.groupware {
            Some(groupware) if !classes.is_empty() => groupware.job_limit().await,
            _ => JobLimit::Before34,
        };
        classes.retain(leaves_out(limit));
        const TOO_LONG: &str = "The id of this account is too long for the filters of the presets, which let none of its events of these classes through";
        (!classes.is_empty()).then(|| format!("{TOO_LONG}: {}", classes.join(", ")))
    }
}
