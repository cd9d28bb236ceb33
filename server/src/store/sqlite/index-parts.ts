/**
 * A table `parts` of the parts that the index of test cases of run `?1` has (test-case-index.ts). It steps from one to the
 * next, and ends with null.
 */
export const PARTS_OF_RUN = `WITH RECURSIVE parts (part) AS (
    SELECT min(part) FROM test_case_keys WHERE run = ?1
    UNION ALL
    SELECT (SELECT min(part) FROM test_case_keys WHERE run = ?1 AND part > parts.part)
    FROM parts WHERE parts.part IS NOT NULL)`;
