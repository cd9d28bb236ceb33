/** Documentation of `POST /workflows`. */
import { workflowManifestSchema } from '@tutti/manifests';
import type { FastifySchema } from 'fastify';

const { $id: _, ...manifest } = workflowManifestSchema;

const multipart = {
  type: 'object',
  properties: {
    workflow: { type: 'string', description: 'The manifest, JSON or YAML; field or file.' },
    variables: { type: 'string', description: 'NAME=value lines; field or file.' },
    inputs: { type: 'string', description: 'NAME=value lines; field or file.' },
  },
  required: ['workflow'],
  additionalProperties: { type: 'string', format: 'binary', description: 'A resource file.' },
};

export const createWorkflowSchema: FastifySchema = {
  summary: 'Start a workflow',
  tags: ['receptionist'],
  querystring: {
    type: 'object',
    properties: {
      dryRun: { type: 'boolean', description: 'Check the request, start nothing.' },
      namespace: { type: 'string', description: "Wins over the manifest's; default is default." },
      ping: { type: 'boolean', description: 'Answer Pong! and do nothing else.' },
    },
  },
  body: {
    content: {
      'application/json': { schema: manifest },
      'application/x-yaml': { schema: manifest },
      'multipart/form-data': { schema: multipart },
    },
  },
};
