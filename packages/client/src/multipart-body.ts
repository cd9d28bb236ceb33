/** Bodies of several parts. Bodies without files are written here: `FormData` comes with all of `fetch`, which takes long to load. */
import type { TextBody } from './transport.ts';

export interface MultipartParts {
  readonly file: { readonly name: string; readonly filename: string; readonly text: string };
  readonly fields: Readonly<Record<string, string>>;
  /** Contents of files, by the names of their parts. */
  readonly blobs: Readonly<Record<string, Blob>>;
}

export function multipartBody(parts: MultipartParts): FormData | TextBody {
  return Object.keys(parts.blobs).length === 0 ? textBody(parts) : formOf(parts);
}

function formOf({ file, fields, blobs }: MultipartParts): FormData {
  const body = new FormData();
  body.set(file.name, new Blob([file.text]), file.filename);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  for (const [name, blob] of Object.entries(blobs)) body.set(name, blob, name);
  return body;
}

function textBody({ file, fields }: MultipartParts): TextBody {
  const boundary = boundaryBeside([file.text, ...Object.values(fields)]);
  const part = (disposition: string, type: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n${text}\r\n`;
  const written = [
    part(`name="${file.name}"; filename="${file.filename}"`, OCTETS, file.text),
    ...Object.entries(fields).map(([name, value]) => part(`name="${name}"`, '', value)),
  ];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    text: `${written.join('')}--${boundary}--\r\n`,
  };
}

const OCTETS = 'Content-Type: application/octet-stream\r\n';

/** A line that none of the texts has. */
function boundaryBeside(texts: readonly string[]): string {
  let boundary = 'tutti-part';
  for (let count = 0; texts.some((text) => text.includes(boundary)); count += 1) {
    boundary = `tutti-part-${count}`;
  }
  return boundary;
}
