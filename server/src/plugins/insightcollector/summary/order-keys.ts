/** Words of `orderBy.key` for what a section shows; any other key is a field. */
export const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'data', 'secondaryAxis']);
export const NAME_KEYS: ReadonlySet<string> = new Set(['name', 'group', 'primaryAxis']);
