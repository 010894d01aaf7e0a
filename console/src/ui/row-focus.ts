import { useRef } from 'react';

function focusBoxOf(row: string): boolean {
  const box = document.querySelector<HTMLInputElement>(`[data-row="${CSS.escape(row)}"] input[type=checkbox]`);
  box?.focus();
  return box !== null;
}

/**
 * Focuses the checkbox of a row by the key of the row.
 *
 * A row of a long table may come into the page only two frames later. If the reader has gone on by then, to another row or into
 * a dialog, the focus stays where the reader is.
 */
export function useRowFocus(): (row: string) => void {
  const frame = useRef(0);
  return (row) => {
    cancelAnimationFrame(frame.current);
    if (focusBoxOf(row)) return;
    const before = document.activeElement;
    const focus = (): void => {
      if (document.activeElement === before) focusBoxOf(row);
    };
    frame.current = requestAnimationFrame(() => {
      frame.current = requestAnimationFrame(focus);
    });
  };
}
