//! The roles of a user.

use std::fmt;
use std::ops::BitOr;

use super::info::{ModeratorLogin, User};

/// The roles of a user, as the bits of `user_level`.
///
/// ```
/// use portreeve::game::info::{User, UserLevel};
///
/// let user = User { user_level: Some(7), ..User::default() };
/// assert!(user.level().has(UserLevel::REGISTERED | UserLevel::MODERATOR));
/// assert!(!user.level().has(UserLevel::ADMIN));
/// assert_eq!(format!("{:?}", user.level()), "USER | REGISTERED | MODERATOR");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct UserLevel(u32);

/// The roles by their names, in the order of their bits.
const NAMES: [(UserLevel, &str); 5] = [
    (UserLevel::USER, "USER"),
    (UserLevel::REGISTERED, "REGISTERED"),
    (UserLevel::MODERATOR, "MODERATOR"),
    (UserLevel::ADMIN, "ADMIN"),
    (UserLevel::JUDGE, "JUDGE"),
];

// === impl UserLevel ===

impl UserLevel {
    /// Every user, guests included.
    pub const USER: Self = Self(1);
    /// A user with an account.
    pub const REGISTERED: Self = Self(2);
    /// A moderator.
    pub const MODERATOR: Self = Self(4);
    /// An administrator.
    pub const ADMIN: Self = Self(8);
    /// A user who may join games as a judge.
    pub const JUDGE: Self = Self(16);

    /// The roles in `user_level`; unknown bits are kept.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The value of `user_level`.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether it includes all of these roles.
    pub const fn has(self, roles: Self) -> bool {
        self.0 & roles.0 == roles.0
    }
}

impl BitOr for UserLevel {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for UserLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let mut separator = "";
        for (role, name) in NAMES.into_iter().filter(|(role, _)| self.has(*role)) {
            write!(f, "{separator}{name}")?;
            separator = " | ";
            rest &= !role.0;
        }
        if rest != 0 || separator.is_empty() {
            write!(f, "{separator}{rest:#x}")?;
        }
        Ok(())
    }
}

// === impl User ===

impl User<'_> {
    /// The roles of the user: the bits of `user_level`.
    pub fn level(&self) -> UserLevel {
        UserLevel(self.user_level())
    }
}

// === impl ModeratorLogin ===

impl ModeratorLogin<'_> {
    /// The roles of the user: the bits of `user_level`.
    pub fn level(&self) -> UserLevel {
        UserLevel(self.user_level())
    }
}
