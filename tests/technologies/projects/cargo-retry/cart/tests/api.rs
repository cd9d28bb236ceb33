use cart::ran;

#[test]
fn opens() {
    assert!(ran("opens") > 1, "the shop is still closed");
}

#[test]
fn opens_again() {
    ran("adds-9");
}
