/** The forms in which a workflow may come with `POST /workflows`. */
import { stringify } from 'yaml';
import { type Body, requestText } from './http-socket.ts';

export const FORMS = ['JSON', 'YAML', 'multipart'] as const;
export type Form = (typeof FORMS)[number];

const BOUNDARY = 'tutti-benchmark';

/** The workflow in YAML as a file, as it lies in a repository, and variables beside it. */
function multipart(workflow: object): Body {
  const part = (disposition: string, content: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const file = part('name="workflow"; filename="workflow.yaml"', stringify(workflow));
  const variables = part('name="variables"', 'TARGET=staging\nBUILD=1234');
  return {
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    text: `${file}${variables}--${BOUNDARY}--\r\n`,
  };
}

const BODIES: Readonly<Record<Form, (workflow: object) => Body>> = {
  JSON: (workflow) => ({ contentType: 'application/json', text: JSON.stringify(workflow) }),
  YAML: (workflow) => ({ contentType: 'application/x-yaml', text: stringify(workflow) }),
  multipart,
};

/** The whole request. */
export const submissionText = (form: Form, token: string, workflow: object): string =>
  requestText({ method: 'POST', path: '/workflows', token, body: BODIES[form](workflow) });
