/** Apart from what watches: that is loaded by those who do. */
import { Option } from 'commander';

/** `-w, --watch`. */
export function watchOption(): Option {
  return new Option(
    '-w, --watch',
    'show what changes, until Ctrl-C: on a terminal the table is drawn anew, elsewhere each new or changed row is a line (with -o json: a document)',
  );
}
