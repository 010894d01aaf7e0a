import { useState } from 'react';
import { signIn, useEnter } from '../api/session';
import { useText } from '../text';
import { Field, Form } from '../ui/parts';
import { Preferences } from './theme';

/** Shown in place of any screen; the address stays, so that signing in leads back to it. */
export function SignIn() {
  const { t } = useText();
  const enter = useEnter();
  const [key, setKey] = useState('');
  const submit = async (): Promise<void> => {
    const caller = await signIn(key.trim());
    setKey('');
    enter(caller);
  };
  return (
    <main className="sign-in panel">
      <h1>{t('Sign in', 'Iniciar sesión')}</h1>
      <Form submit={t('Sign in', 'Iniciar sesión')} onSubmit={submit}>
        <Field
          label={t('API key', 'Clave de API')}
          type="password"
          value={key}
          onChange={setKey}
          required
          hint={t(
            'The key is sent once and exchanged for a session of at most 12 hours. The page does not keep it.',
            'La clave se envía una vez y se cambia por una sesión de 12 horas como máximo. La página no la conserva.',
          )}
        />
      </Form>
      <p className="row">
        <Preferences />
      </p>
    </main>
  );
}
