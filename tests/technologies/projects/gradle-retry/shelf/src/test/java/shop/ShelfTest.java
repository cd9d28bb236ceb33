package shop;

import static org.junit.Assert.assertTrue;

import java.io.FileWriter;
import java.io.IOException;
import org.junit.Test;

/** In another project than the tests that fail. */
public class ShelfTest {
  private static void ran(int number) throws IOException {
    try (FileWriter executions = new FileWriter(System.getenv("EXECUTIONS"), true)) {
      executions.write("adds-" + number + "\n");
    }
  }

  @Test
  public void holds() throws IOException {
    ran(12);
  }

  @Test
  public void holdsAgain() throws IOException {
    ran(13);
  }

  @Test
  public void holdsMore() throws IOException {
    ran(14);
  }

  @Test
  public void holdsMost() throws IOException {
    ran(15);
  }

  @Test
  public void holdsTogether() throws IOException {
    ran(16);
  }
}
