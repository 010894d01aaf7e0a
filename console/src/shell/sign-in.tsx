import { useState } from 'react';
import { signIn, useEnter, useProviderAddress } from '../api/session';
import { useText } from '../text';
import { Field, Form } from '../ui/parts';
import { Preferences } from './theme';

/** Why a sign-in at the provider failed, as the service names it in the address. */
const FAILURES: ReadonlyMap<string, readonly [english: string, spanish: string]> = new Map([
  ['provider', ['The sign-in provider does not answer. Try again later.', 'El proveedor de identidad no responde.']],
  ['refused', ['The sign-in provider refused. Try again.', 'El proveedor de identidad rechazó la sesión.']],
  ['expired', ['The sign-in took too long. Try again.', 'El inicio de sesión tardó demasiado. Inténtelo de nuevo.']],
  [
    'unknown_person',
    [
      'You are not known here, or your access is suspended. Ask an administrator to add your e-mail address to an actor.',
      'Usted no está registrado aquí, o su acceso está suspendido. Pida a un administrador que registre su correo.',
    ],
  ],
]);

/** Shown in place of any screen; the address stays, so that signing in leads back to it. */
export function SignIn() {
  const { t } = useText();
  const enter = useEnter();
  const [key, setKey] = useState('');
  const provider = useProviderAddress();
  const failure = FAILURES.get(new URLSearchParams(location.search).get('sign_in') ?? '') ?? null;
  const submit = async (): Promise<void> => {
    const caller = await signIn(key.trim());
    setKey('');
    enter(caller);
  };
  return (
    <main className="sign-in panel">
      <h1>{t('Sign in', 'Iniciar sesión')}</h1>
      {failure === null ? null : <p role="alert">{t(...failure)}</p>}
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
      {provider === null ? null : (
        <p>
          <a href={provider}>{t('Sign in with your organization', 'Iniciar sesión con su organización')}</a>
        </p>
      )}
      <p className="row">
        <Preferences />
      </p>
    </main>
  );
}
