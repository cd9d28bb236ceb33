/** Examples of commands that have none in their own description. `--help` and the reference show them. */
import type { Command } from 'commander';

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  server: ['tutti server', 'tutti server --data-dir /var/lib/tutti --port 8080'],
  agent: [
    'tutti agent --tags linux,node',
    'tutti agent --server https://tests.example.org --token-file agent.token --tags windows,uft',
  ],
  validate: [
    'tutti validate workflows/*.yaml',
    'tutti validate nightly.yaml --format sarif > problems.sarif',
  ],
  plan: [
    'tutti plan nightly.yaml --steps',
    'tutti plan nightly.yaml -i browser=firefox --format mermaid',
  ],
  status: ['tutti status', 'tutti status ID', 'tutti status ID --log --follow'],
  gate: [
    'tutti gate',
    'tutti gate ID --gate release --definition gates.yaml --timeout 5m',
    'tutti gate ID --plugin gitlab:mr=12 --plugin gitlab:keep-history=true',
  ],
  providers: ['tutti providers', 'tutti providers pytest/pytest@v1'],
  testcases: [
    'tutti testcases ID --outcome failure,error',
    'tutti testcases ID -o junit > results.xml',
  ],
  backup: ['tutti backup --data-dir /var/lib/tutti --output backup.tar.gz'],
  restore: ['tutti restore backup.tar.gz --data-dir restored'],
  'import-config': [
    'tutti import-config conf --dry-run',
    'tutti import-config conf --save-to tutti',
  ],
};

export function addExamples(program: Command): void {
  for (const command of program.commands) {
    const lines = EXAMPLES[command.name()];
    if (lines === undefined) continue;
    const shown = lines.map((line) => `  ${line}`).join('\n');
    command.addHelpText('after', `\nExamples:\n${shown}`);
  }
}
