package shop;

import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Seventeen tests, three of which fail in their first execution. Each execution is a line of a file. */
@RunWith(Parameterized.class)
public class CartTest {
  @Parameterized.Parameters(name = "{0}, *?[$(touch breach)]")
  public static Integer[] numbers() {
    return new Integer[] {0, 1, 2};
  }

  private final int number;

  public CartTest(int number) {
    this.number = number;
  }

  /** The number of this execution of the test, from 1. */
  static long ran(String name) throws IOException {
    Path executions = Path.of(System.getenv("EXECUTIONS"));
    Files.writeString(executions, name + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    return Files.readAllLines(executions).stream().filter(name::equals).count();
  }

  @Test
  public void adds() throws IOException {
    assertTrue(ran("adds-" + number) > 0);
  }

  @Test
  public void addsAgain() throws IOException {
    assertTrue(ran("adds-" + (3 + number)) > 0);
  }

  @Test
  public void addsMore() throws IOException {
    assertTrue(ran("adds-" + (6 + number)) > 0);
  }

  @Test
  public void addsMost() throws IOException {
    assertTrue(ran("adds-" + (9 + number)) > 0);
  }

  @Test
  public void takes$é() throws IOException {
    assertTrue("the shelf is empty", ran("takes-" + number) > 1);
  }
}
