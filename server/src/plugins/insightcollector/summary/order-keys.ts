/** Words of `orderBy.key` for the values and names of a section; any other key is a field. */
export const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'data', 'secondaryAxis']);
export const NAME_KEYS: ReadonlySet<string> = new Set(['name', 'group', 'primaryAxis']);
