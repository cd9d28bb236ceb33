/** Settings: the session, and how the page looks in this browser. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../data/api.ts';
import { type Session, useSession } from '../../data/session.ts';
import { areKeysOn, switchKeys } from '../../frame/keys.ts';
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../../look/theme.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Moment } from '../../parts/times.tsx';
import styles from './settings.module.css';

export function SettingsPage() {
  const session = useSession();
  return (
    <>
      <PageHead title="Settings" />
      {session !== undefined && <SessionBand session={session} />}
      <Look />
      <p>
        <Link to="/about">About this server</Link>
      </p>
    </>
  );
}

function SessionBand({ session }: { readonly session: Session }) {
  return (
    <Band
      title="Who you are here"
      more={session.expires === null ? undefined : <SignOut subject={session.subject} />}
    >
      <dl className={styles.facts}>
        <dt>Subject</dt>
        <dd>
          <bdi>{session.subject}</bdi>
        </dd>
        <dt>Signed in until</dt>
        <dd>{session.expires === null ? 'no end' : <Moment at={session.expires} />}</dd>
      </dl>
      <div className={styles.rights}>
        {Object.keys(session.rights).length === 0 ? (
          <p>You may do nothing here: ask those who run this server for another token.</p>
        ) : (
          <Rights rights={session.rights} />
        )}
      </div>
    </Band>
  );
}

const Rights = ({ rights }: Pick<Session, 'rights'>) => (
  <table>
    <caption>What you may do, by namespace</caption>
    <thead>
      <tr>
        <th scope="col">Resource</th>
        <th scope="col">Operations</th>
      </tr>
    </thead>
    <tbody>
      {Object.entries(rights).map(([resource, verbs]) => (
        <tr key={resource}>
          <th scope="row">{resource}</th>
          <td>{rightsText(verbs)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const rightsText = (verbs: Session['rights'][string]): string =>
  Object.entries(verbs)
    .map(([verb, namespaces]) =>
      namespaces.includes('*') ? verb : `${verb} in ${namespaces.join(', ')}`,
    )
    .join(' · ');

function SignOut({ subject }: { readonly subject: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async (query: Readonly<Record<string, string>>) => {
    await ask({ method: 'DELETE', path: '/ui/session', query });
    queries.clear();
    await navigate({ to: '/login' });
  };
  return (
    <div className={styles.buttons}>
      <Button onPress={() => void leave({})}>Sign out</Button>
      <Confirm
        label="End all my sessions"
        title="End all sessions?"
        act="End all"
        onAct={() => leave({ all: 'true' })}
      >
        <p>
          All browsers in which <bdi>{subject}</bdi> is signed in have to sign in again.
        </p>
      </Confirm>
    </div>
  );
}

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

function Look() {
  const [theme, setTheme] = useState(chosenTheme);
  const [hasKeys, setKeys] = useState(areKeysOn);
  return (
    <Band title="This browser">
      <div className={styles.look}>
        <fieldset>
          <legend>Theme</legend>
          {THEMES.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="theme"
                checked={each === theme}
                onChange={() => {
                  chooseTheme(each);
                  setTheme(each);
                }}
              />
              {THEME_NAMES[each]}
            </label>
          ))}
        </fieldset>
        <label>
          <input
            type="checkbox"
            checked={hasKeys}
            onChange={({ target }) => {
              switchKeys(target.checked);
              setKeys(target.checked);
            }}
          />
          Keys such as <kbd>g</kbd> <kbd>r</kbd> act on the page. <kbd>?</kbd> lists them.
        </label>
      </div>
    </Band>
  );
}
