/** Signing in: with a token, once, or with a code that `tutti ui` put behind the address. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SyntheticEvent, useEffect, useState } from 'react';
import { ask } from '../../data/api.ts';
import { type Session, sessionQuery } from '../../data/session.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/states.tsx';
import { useGo } from '../../parts/use-go.ts';
import styles from './login.module.css';

const route = getRouteApi('/login');

type Credentials = Readonly<Record<'Authorization' | 'Tutti-Code', string>>;

export function LoginPage() {
  const { to } = route.useSearch();
  const [token, setToken] = useState('');
  const signIn = useSignIn(to);
  useEffect(() => {
    const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
    if (code === undefined) return;
    // It counts once, and nobody needs to see it.
    history.replaceState(history.state, '', location.href.split('#')[0]);
    signIn.mutate({ 'Tutti-Code': code });
  }, [signIn.mutate]);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    signIn.mutate({ Authorization: `Bearer ${token.trim()}` });
    setToken('');
  };
  return (
    <main className={styles.page}>
      <form onSubmit={submit} className={styles.form}>
        <img src={new URL('icon.svg', document.baseURI).href} alt="" width={40} height={40} />
        <h1>Sign in to Tutti</h1>
        {signIn.isError && <Problem error={signIn.error} />}
        <Field
          label="Token"
          type="password"
          value={token}
          onChange={setToken}
          autoFocus
          autoComplete="off"
          hint="The server keeps it encrypted until you sign out, at most for 12 hours. This page keeps nothing."
        />
        <Button kind="main" type="submit" isDisabled={token.trim() === '' || signIn.isPending}>
          {signIn.isPending ? 'Signing in' : 'Sign in'}
        </Button>
        <p className={styles.hint}>
          On a machine with the command line, <code>tutti ui</code> signs in without a token. An
          administrator makes tokens with <code>tutti tokens create</code>.
        </p>
      </form>
    </main>
  );
}

function useSignIn(to: string | undefined) {
  const queries = useQueryClient();
  const go = useGo();
  return useMutation({
    mutationFn: (credentials: Partial<Credentials>) =>
      ask<Session>({ method: 'POST', path: '/ui/session', headers: { ...credentials } }),
    onSuccess: (session) => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      // Only paths of this page: the address may come from anybody.
      const place = to?.startsWith('/') && !/^\/[/\\]/.test(to) ? to : '/';
      go(place, true);
    },
  });
}
