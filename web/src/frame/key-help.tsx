/** The list of the keys. */
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from '../parts/button.tsx';
import styles from '../parts/confirm.module.css';
import own from './key-help.module.css';
import { PLACE_KEYS } from './keys.ts';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Search runs, environments, pages and actions'],
  ...Object.entries(PLACE_KEYS).map(([key, { name }]) => [`g ${key}`, `Go to ${name}`] as const),
  ['/', 'Filter a list'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open a row'],
  ['Space', 'Select a row'],
  ['Esc', 'Close the top layer'],
  ['?', 'This list'],
];

interface HelpProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const KeyHelp = ({ isOpen, onClose }: HelpProps) => (
  <ModalOverlay
    className={styles.overlay ?? ''}
    isDismissable
    isOpen={isOpen}
    onOpenChange={onClose}
  >
    <Modal className={styles.modal ?? ''}>
      <Dialog className={styles.dialog ?? ''}>
        <Heading slot="title">Keys</Heading>
        <dl className={own.keys}>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <div className={styles.buttons}>
          <Button onPress={onClose}>Close</Button>
        </div>
      </Dialog>
    </Modal>
  </ModalOverlay>
);
