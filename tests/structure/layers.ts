/** Reads the tables of "Layers" in ARCHITECTURE.md. A heading names a folder; its rows are layers from the top. */

/** Names right below the folder; a layer has the files and folders of one row. `*.ts` are the files that no row names. */
export interface Layers {
  readonly folder: string;
  readonly rows: readonly (readonly string[])[];
}

export function parseLayers(page: string): readonly Layers[] {
  const [, section = ''] = /^## Layers$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page) ?? [];
  const tables = section.split(/^### `/m).slice(1);
  return tables.map((table) => ({
    folder: table.slice(0, table.indexOf('`')),
    rows: [...table.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, name = '']) => name),
    ),
  }));
}

/** The row of a path, counted from the top; null for what is elsewhere, or in no row. */
export function layerOf(path: string, { folder, rows }: Layers): number | null {
  if (!path.startsWith(`${folder}/`)) return null;
  const [name = '', ...rest] = path.slice(folder.length + 1).split('/');
  const found = rows.findIndex((row) => row.includes(name));
  if (found !== -1 || rest.length > 0) return found === -1 ? null : found;
  const others = rows.findIndex((row) => row.includes('*.ts'));
  return others === -1 ? null : others;
}

/** Why a file may not import another; null when it may. */
export function layerProblem(importer: string, imported: string, layers: Layers): string | null {
  const [above, below] = [layerOf(importer, layers), layerOf(imported, layers)];
  return above !== null && below !== null && below < above
    ? `${importer}: imports from a layer above it (${imported})`
    : null;
}
