import { useEffect, useState } from 'react';
import type { Api } from '../api/client';
import { isSameUser, readCaller, signIn, useEnter, useProviderAddress, useResume } from '../api/session';
import { useText } from '../text';
import { Deed, Field, Form } from '../ui/parts';

/**
 * Shown in place of a screen whose session has ended. The screen stays in the page, hidden, so that the same user finds the
 * typed text again; another user gets a new page.
 */
export function SessionEnded({ caller }: { readonly caller: Api<'Caller'> }) {
  const { t } = useText();
  const enter = useEnter();
  const resume = useResume();
  const provider = useProviderAddress();
  const [key, setKey] = useState('');
  const goOn = (next: Api<'Caller'>): void => (isSameUser(caller, next) ? resume(next) : enter(next));
  const submit = async (): Promise<void> => {
    const next = await signIn(key.trim());
    setKey('');
    goOn(next);
  };
  const check = async (): Promise<void> => {
    const next = await readCaller();
    if (next !== null) goOn(next);
  };
  // A sign-in in another tab ends the wait.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the listener lives as long as the page that asks for the sign-in.
  useEffect(() => {
    const onFocus = (): void => void check().catch(() => undefined);
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, []);
  return (
    <main className="sign-in panel">
      <h1>{t('Your session has ended', 'Su sesión ha terminado')}</h1>
      <p>
        {t(
          'Sign in again: you come back to the same place, and what you typed is kept.',
          'Vuelva a iniciar sesión: regresará al mismo lugar y se conserva lo que escribió.',
        )}
      </p>
      <Form submit={t('Sign in', 'Iniciar sesión')} onSubmit={submit}>
        <Field label={t('API key', 'Clave de API')} type="password" value={key} onChange={setKey} required />
      </Form>
      {provider === null ? null : (
        <p>
          <a href={provider} target="_blank" rel="noreferrer">
            {t('Sign in with your organization, in a new tab', 'Iniciar sesión con su organización, en otra pestaña')}
          </a>{' '}
          <Deed label={t('I am signed in', 'Ya inicié sesión')} run={check} />
        </p>
      )}
    </main>
  );
}
