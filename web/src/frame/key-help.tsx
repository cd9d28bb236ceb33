/** The list of the keys. */
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from '../parts/button.tsx';
import styles from '../parts/confirm.module.css';
import own from './key-help.module.css';
import { KEY_GROUPS, PLACE_KEYS } from './key-list.ts';

const PLACES = Object.entries(PLACE_KEYS).map(([key, { name }]) => [`g ${key}`, name] as const);

const GROUPS = [...KEY_GROUPS, { title: 'To another page', keys: PLACES }];

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
    <Modal className={`${styles.modal} ${own.modal}`}>
      <Dialog className={styles.dialog ?? ''}>
        <Heading slot="title">Keys</Heading>
        <div className={own.groups}>
          {GROUPS.map(({ title, keys }) => (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <dl className={own.keys}>
                {keys.map(([pressed, what]) => (
                  <div key={pressed}>
                    <dt>
                      {pressed.split(' ').map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <div className={styles.buttons}>
          <Button onPress={onClose}>Close</Button>
        </div>
      </Dialog>
    </Modal>
  </ModalOverlay>
);
