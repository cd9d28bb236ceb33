/** The text of a value (wire facts 6.6). */
import { payFor, type Work } from './evaluation-budget.ts';
import { jsonText } from './json-text.ts';
import { typeOf } from './values.ts';

/** The text of a value in a longer text. Null is empty. Lists and maps are compact JSON, which is refused if it is too long. */
export function toText(value: unknown, work: Work): string {
  switch (typeOf(value)) {
    case 'null':
      return '';
    case 'list':
    case 'map':
      return jsonText(value, 'the text of a list or map has', work);
    default:
      return payFor(String(value), work);
  }
}
