/** Installs other tools: outside the repository, pinned, once for each set of versions. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runToItsEnd } from './program.ts';

/** Installing takes minutes where the network is slow. */
const INSTALL_WITHIN_MS = 600_000;

export class ToolCache {
  readonly folder: string;

  /** `TUTTI_BENCH_TOOLS` names another folder than the user's cache. */
  constructor() {
    const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
    this.folder = process.env.TUTTI_BENCH_TOOLS ?? join(caches, 'tutti-bench-tools');
    mkdirSync(this.folder, { recursive: true });
  }

  /** The folder of programs of an environment of Python with these packages, such as `name==1.2.3`. */
  async python(packages: readonly string[]): Promise<string> {
    const folder = await this.#installed(packages, async (made) => {
      await this.#run(['python3', '-m', 'venv', made]);
      const pip = [join(made, 'bin', 'python'), '-m', 'pip', 'install'];
      await this.#run([
        ...pip,
        '--quiet',
        '--disable-pip-version-check',
        '--no-input',
        ...packages,
      ]);
    });
    return join(folder, 'bin');
  }

  /** The folder `node_modules` with these packages, such as `name@1.2.3`. */
  async node(packages: readonly string[]): Promise<string> {
    const folder = await this.#installed(packages, (made) =>
      this.#run(['npm', 'install', '--prefix', made, '--no-audit', '--no-fund', ...packages]),
    );
    return join(folder, 'node_modules');
  }

  async #installed(
    packages: readonly string[],
    install: (folder: string) => Promise<void>,
  ): Promise<string> {
    const digest = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 8);
    const name = `${packages[0]?.replace(/[^\w.-]+/g, '-')}-${digest}`;
    const folder = join(this.folder, name);
    const mark = join(folder, '.installed');
    if (existsSync(mark)) return folder;
    console.log(`Installing ${packages.join(', ')} in ${folder}`);
    // An earlier attempt may have left an incomplete folder.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await install(folder);
    await writeFile(mark, '');
    return folder;
  }

  #run([command = '', ...args]: readonly string[]): Promise<void> {
    return runToItsEnd({ command, args, folder: this.folder }, INSTALL_WITHIN_MS);
  }
}
