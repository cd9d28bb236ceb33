/** The section "Walks" of ARCHITECTURE.md, read: each walk with the files that it passes. */
import { functionsOf } from './functions.ts';

export interface Station {
  /** From the root of the repository. */
  readonly path: string;
  /** A function, method or class in that file. */
  readonly name: string;
}

export interface Walk {
  readonly title: string;
  /** The number of files in its heading. */
  readonly filesStated: number;
  readonly stations: readonly Station[];
  /** Stations of its own, and those of the walks that it passes, each once. */
  readonly files: ReadonlySet<string>;
}

const HEADING = /^(.*) \((\d+) files\)$/;
const STATION = /^\d+\. `([^`]+)` `([^`]+)`: /gm;
/** `13. All stations of [name](#anchor), without `path`.` */
const OTHER_WALK = /^\d+\. All stations of \[[^\]]*\]\(#([^)]+)\)(.*)$/gm;

export function parseWalks(page: string, anchorOf: (title: string) => string): readonly Walk[] {
  const [, section = ''] = /^## Walks$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page) ?? [];
  const walks = new Map<string, Walk>();
  for (const part of section.split(/^### /m).slice(1)) {
    const [heading = '', ...lines] = part.split('\n');
    const text = lines.join('\n');
    const [, title = heading, actual = ''] = HEADING.exec(heading) ?? [];
    const stations = [...text.matchAll(STATION)].map(([, path = '', name = '']) => ({
      path,
      name,
    }));
    const passed = [...text.matchAll(OTHER_WALK)].flatMap(([, anchor = '', rest = '']) => {
      const other = walks.get(anchor);
      if (other === undefined)
        throw new Error(`"${title}" passes #${anchor}, which is no walk above.`);
      return [...other.files].filter((path) => !rest.includes(`\`${path}\``));
    });
    const files = new Set([...stations.map(({ path }) => path), ...passed]);
    walks.set(anchorOf(heading), { title, filesStated: Number(actual), stations, files });
  }
  return [...walks.values()];
}

/** True if the source has a function, method, class or constant of that name. */
export function isDefinedIn(source: string, name: string): boolean {
  const declared = new RegExp(
    `^(?:export )?(?:(?:async )?function\\*?|const|class) ${name}\\b`,
    'm',
  );
  return declared.test(source) || functionsOf(source).some((span) => span.name === name);
}
