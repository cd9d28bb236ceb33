/** Pages of a run's execution log in the database: page n begins at n times the page size. */

/** Such a row fills one page of the file (4096 bytes) and spills into no other. */
export const LOG_PAGE_BYTES = 4_000;

/** The page that has this byte, and where in the page it is. */
export function logPageOf(offset: number): { readonly page: number; readonly within: number } {
  const within = offset % LOG_PAGE_BYTES;
  return { page: (offset - within) / LOG_PAGE_BYTES, within };
}
