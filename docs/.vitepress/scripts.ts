/** The policy of the server lets pages run no scripts but those of files. */
import { createHash } from 'node:crypto';

const INLINE = /<script([^>]*)>([^<]+)<\/script>/g;

/** `write` keeps a script under a name, and says where a page finds it. */
export function withoutInlineScripts(
  html: string,
  write: (name: string, script: string) => string,
): string {
  return html.replaceAll(INLINE, (_all, attributes: string, script: string) => {
    const hash = createHash('sha256').update(script).digest('hex').slice(0, 8);
    return `<script${attributes} src="${write(`inline.${hash}.js`, script)}"></script>`;
  });
}
