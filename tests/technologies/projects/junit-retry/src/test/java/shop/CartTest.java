package shop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Twenty tests, three of which fail in their first execution. Each execution is a line of a file. */
class CartTest {
  /** The number of this execution of the test, from 1. */
  static long ran(String name) throws IOException {
    Path executions = Path.of(System.getenv("EXECUTIONS"));
    Files.writeString(executions, name + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    return Files.readAllLines(executions).stream().filter(name::equals).count();
  }

  @RepeatedTest(16)
  void adds(RepetitionInfo info) throws IOException {
    assertTrue(ran("adds-" + (info.getCurrentRepetition() - 1)) > 0);
  }

  @Test
  void opens() throws IOException {
    assertTrue(ran("opens") > 1, "the shop is still closed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a::b [c], d#e+f", "*?[$(touch breach)]"})
  void takes(String what) throws IOException {
    assertTrue(ran("takes " + what) > (what.startsWith("*") ? 1 : 0), "the shelf is empty");
  }

  @Nested
  @DisplayName("The shelf; $(touch breach)")
  class Shelf {
    @Test
    @DisplayName("holds $(touch breach)")
    void holds$touch_é() throws IOException {
      assertTrue(ran("holds") > 1, "the shelf is empty");
    }
  }
}
