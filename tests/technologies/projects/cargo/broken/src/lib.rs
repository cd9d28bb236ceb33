//! Builds, but its tests do not.
