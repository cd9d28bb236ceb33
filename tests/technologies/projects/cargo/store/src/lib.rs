//! Stores nothing.
