package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class CartTest {
  @Test
  void adds() {
    assertEquals(2, 1 + 1);
  }

  @Test
  void subtracts() {
    assertEquals(0, 2 - 1, "two less one is one");
  }

  @Test
  void takes() {
    throw new IllegalStateException("the shelf is empty");
  }

  @Test
  @Disabled("not yet")
  void divides() {}
}
