//! Finding the account of a caller (docs/API.md, section 2.7).

use http::Method;
use http::request::Parts;

use super::{AccountRule, Endpoint, Error, Principal, UnboundPerson, User};
use crate::identity::{Caller, RefusalReason, TokenRefusal};
use crate::vault::Vault;

/// Finds the account of a caller.
///
/// Implement it to find accounts in your own way, for an [`AccountLayer`](super::layer::account::AccountLayer) in your
/// own stack. A caller who names an account ([`Caller::new`]) should have that account.
pub trait Accounts: Send + Sync + 'static {
    /// Who `caller` is. The request whose head this is has no `Authorization` field any more.
    ///
    /// # Errors
    /// There is no account, or the lookup failed.
    fn find(
        &self,
        caller: &Caller,
        head: &Parts,
    ) -> impl Future<Output = Result<Principal, Error>> + Send;

    /// The result of [`find`](Self::find) if it is known without waiting, and `None` otherwise, as in the
    /// default implementation. It must not block.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    fn find_now(&self, caller: &Caller) -> Option<Result<Principal, Error>> {
        _ = caller;
        None
    }
}

/// How the account of a person at the identity provider is determined.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccountPolicy {
    /// By a rule that derives its id.
    Rule(AccountRule),
    /// By the binding of issuer and subject in the vault.
    Bound(BindingPolicy),
}

/// Who binds persons to accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingPolicy {
    /// Only the operator.
    #[default]
    Operator,
    /// The operator, and persons themselves by the first login flow that an account grants them.
    LoginFlow,
}

/// Finds accounts according to an [`AccountPolicy`].
#[derive(Clone, Debug)]
pub struct PolicyAccounts {
    /// How accounts are determined.
    pub policy: AccountPolicy,
    /// Where bindings are looked for, if the policy needs them.
    pub vault: Vault,
}

// === impl AccountPolicy ===

impl Default for AccountPolicy {
    fn default() -> Self {
        Self::Rule(AccountRule::default())
    }
}

// === impl AccountRule ===

impl Accounts for AccountRule {
    async fn find(&self, caller: &Caller, _: &Parts) -> Result<Principal, Error> {
        self.user(caller).map(Principal::User)
    }

    fn find_now(&self, caller: &Caller) -> Option<Result<Principal, Error>> {
        Some(self.user(caller).map(Principal::User))
    }
}

// === impl PolicyAccounts ===

impl PolicyAccounts {
    /// Who `caller` is if no binding is needed.
    fn by_rule(&self, caller: &Caller) -> Result<Principal, Error> {
        let rule = match &self.policy {
            AccountPolicy::Rule(rule) => rule,
            AccountPolicy::Bound(_) => &AccountRule::Claim,
        };
        rule.user(caller).map(Principal::User)
    }
}

impl Accounts for PolicyAccounts {
    async fn find(&self, caller: &Caller, head: &Parts) -> Result<Principal, Error> {
        let (AccountPolicy::Bound(binding), Some(person)) = (&self.policy, caller.person()) else {
            return self.by_rule(caller);
        };
        let Some(subject) = &person.subject else {
            let detail = Some("it has no subject (`sub`), by which accounts are bound".into());
            let refusal = TokenRefusal { reason: RefusalReason::User, detail };
            tracing::debug!(target: "portreeve::identity", %refusal, "a token was refused");
            return Err(Error::RefusedToken(refusal.into()));
        };
        let by_login_flow = *binding == BindingPolicy::LoginFlow;
        let endpoint = Endpoint::from_head(head);
        let is_of_flow = matches!(
            (endpoint, &head.method),
            (Endpoint::LoginFlows, &Method::POST) | (Endpoint::LoginFlow, &Method::GET)
        );
        let may_be_bound = UnboundPerson::new(person).filter(|_| by_login_flow && is_of_flow);
        let unbound = may_be_bound.map(|it| Principal::Unbound(it.with_scopes_of(caller)));
        // A flow that was started without an account stays the person's own.
        if let Some(unbound) = &unbound
            && endpoint == Endpoint::LoginFlow
        {
            let flow_id = super::path::decode_opaque(endpoint.parameter(head.uri.path()));
            if self.vault.flow(unbound.key(), &flow_id).await?.is_some() {
                return Ok(unbound.clone());
            }
        }
        match self.vault.binding(&person.issuer, subject).await? {
            Some(bound) => Ok(User::from_caller(caller, bound.user_id).bound().into()),
            None => unbound.ok_or(Error::NotBound { by_login_flow }),
        }
    }

    fn find_now(&self, caller: &Caller) -> Option<Result<Principal, Error>> {
        let needs_binding =
            caller.person().is_some() && matches!(self.policy, AccountPolicy::Bound(_));
        (!needs_binding).then(|| self.by_rule(caller))
    }
}
