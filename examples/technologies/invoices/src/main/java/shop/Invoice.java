package shop;

import java.util.Comparator;
import java.util.List;

/** What a customer gets with the goods. Amounts are in cents. */
public record Invoice(List<Line> lines) {
    public record Line(String article, long net, int taxPercent) {
        /** Half a cent goes up. */
        public long gross() {
            return net + (net * taxPercent + 50) / 100;
        }
    }

    public long total() {
        return lines.stream().mapToLong(Line::gross).sum();
    }

    public long totalLess(int percent) {
        return total() - percent / 100 * total();
    }

    public Line largestLine() {
        return lines.stream().max(Comparator.comparingLong(Line::gross)).get();
    }
}
