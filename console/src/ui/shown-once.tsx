import { type ReactNode, useState } from 'react';
import { useText } from '../text';
import { Deed } from './parts';

interface ShownOnceProps {
  /** Identifier of the record that the link opens. */
  readonly id: string;
  /** Path of the link on this host. */
  readonly url: string;
  /** What a holder of the link can do. */
  readonly children: ReactNode;
}

/** The address of a new link, shown until the screen is left; no list has it. */
export function ShownOnce({ id, url, children }: ShownOnceProps) {
  const { t } = useText();
  const [copied, setCopied] = useState(false);
  const address = new URL(url, location.origin).href;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(address);
    setCopied(true);
  };
  return (
    <div className="note" data-link={id}>
      <p role="status">
        {t('Copy the address now: it is not shown again.', 'Copie ahora la dirección: no se vuelve a mostrar.')}{' '}
        {children}
      </p>
      <p>
        <code>{address}</code>
      </p>
      <Deed strong label={copied ? t('Copied', 'Copiada') : t('Copy the address', 'Copiar la dirección')} run={copy} />
    </div>
  );
}
