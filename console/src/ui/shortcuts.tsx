import { useEffect, useState } from 'react';
import { remember, remembered } from '../remembered';
import { useText } from '../text';
import { Dialog } from './parts';

interface Shortcut {
  readonly key: string;
  readonly name: string;
  readonly run: () => void;
}

/** Input elements that take no text. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['checkbox', 'radio', 'button', 'submit', 'range']);

/** Whether the reader writes or chooses in this element, so that its keys are its own. */
function takesKeys(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/**
 * Runs shortcuts of one character. They take no key while the reader types, while a dialog is open, or together with Ctrl, Alt
 * or Cmd. The reader can turn them off (WCAG 2.1.4).
 */
function useShortcuts(shortcuts: readonly Shortcut[], isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
      if (takesKeys(event.target) || document.querySelector('dialog[open]') !== null) return;
      const shortcut = shortcuts.find(({ key }) => key === event.key);
      if (shortcut === undefined) return;
      event.preventDefault();
      shortcut.run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [shortcuts, isOn]);
}

/** A button that lists the shortcuts of the screen; `?` opens it too. */
export function Shortcuts({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const { t } = useText();
  const [isShown, setShown] = useState(false);
  const [isOn, setOn] = useState(() => remembered('shortcuts') !== 'off');
  const name = t('Show this help', 'Mostrar esta ayuda');
  const all: readonly Shortcut[] = [...shortcuts, { key: '?', name, run: () => setShown(true) }];
  useShortcuts(all, isOn);
  const turn = (on: boolean): void => {
    remember('shortcuts', on ? null : 'off');
    setOn(on);
  };
  return (
    <>
      <button type="button" onClick={() => setShown(true)}>
        {t('Keyboard shortcuts', 'Atajos de teclado')}
      </button>
      {isShown && (
        <Dialog title={t('Keyboard shortcuts', 'Atajos de teclado')} onClose={() => setShown(false)}>
          <dl className="keys">
            {all.map((shortcut) => (
              <div key={shortcut.key}>
                <dt>
                  <kbd>{shortcut.key}</kbd>
                </dt>
                <dd>{shortcut.name}</dd>
              </div>
            ))}
          </dl>
          <label>
            <input type="checkbox" checked={isOn} onChange={(event) => turn(event.target.checked)} />{' '}
            {t('Shortcuts are on', 'Los atajos están activos')}
          </label>
        </Dialog>
      )}
    </>
  );
}
