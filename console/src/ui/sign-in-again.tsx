import { useState } from 'react';
import { signIn, useEnter, useProviderAddress } from '../api/session';
import { useText } from '../text';

/**
 * Renews an old sign-in next to the form that needs it; the text of the form stays. It is no form itself, because it is shown inside
 * of one.
 */
export function SignInAgain() {
  const { t } = useText();
  const enter = useEnter();
  const provider = useProviderAddress();
  const [key, setKey] = useState('');
  const [state, setState] = useState<'asked' | 'done' | 'refused'>('asked');
  const renew = async (): Promise<void> => {
    try {
      enter(await signIn(key.trim()));
      setState('done');
    } catch {
      setState('refused');
    }
    setKey('');
  };
  if (state === 'done')
    return <p>{t('You are signed in again. Repeat the step.', 'Ha vuelto a iniciar sesión. Repita el paso.')}</p>;
  return (
    <div className="row">
      <label>
        {t('API key', 'Clave de API')}{' '}
        <input type="password" autoComplete="off" value={key} onChange={(event) => setKey(event.target.value)} />
      </label>
      <button type="button" disabled={key.trim() === ''} onClick={() => void renew()}>
        {t('Sign in again', 'Volver a iniciar sesión')}
      </button>
      {provider === null ? null : (
        <a href={provider} target="_blank" rel="noreferrer">
          {t('Sign in with your organization, in a new tab', 'Iniciar sesión con su organización, en otra pestaña')}
        </a>
      )}
      {state === 'refused' && <span>{t('The key was refused.', 'La clave fue rechazada.')}</span>}
    </div>
  );
}
