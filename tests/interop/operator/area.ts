/** Features of the operator that makes agents of pods, on our server. */
import type { Subject } from '../subjects.ts';

const OPERATOR: Subject = { program: 'opentf-agent-operator-nightly', version: '0.1.0.dev110' };

export const OPERATORS = {
  title: 'The agent operator of Kubernetes',
  about:
    'Kubernetes is played by the tests: a pod is a folder, and its commands run on the machine of the tests. All else is the program itself.',
  subjects: [OPERATOR],
  features: [
    {
      text: 'runs a job in a pod of its own, with variables and files in both directions, and removes the pod',
      note: 'it does not quote paths. So paths of moved files may have no blanks.',
    },
    { text: 'runs the jobs that wait for one agent one after the other' },
    { text: 'keeps agents reachable that have nothing to do' },
    { text: 'registers its pool anew with a server that does not know it' },
    { text: 'works on with its agents when the server is killed and started again' },
    { text: 'de-registers its agents when the pool is deleted' },
  ],
};
