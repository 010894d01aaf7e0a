import { useEffect, useId, useState } from 'react';

interface FilterFieldProps {
  readonly label: string;
  /** The value that the list is filtered by. */
  readonly value: string;
  readonly onApply: (value: string) => void;
  readonly hint?: string;
}

/**
 * A text to filter a list by. It applies when the reader presses Enter or leaves the field: half of a code is an error to the
 * service, and each read of a member's timeline is an act of custody.
 */
export function FilterField({ label, value, onApply, hint }: FilterFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = (): void => {
    if (typed.trim() !== value) onApply(typed.trim());
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={typed}
        autoComplete="off"
        spellCheck={false}
        {...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` })}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="quiet">
          {hint}
        </p>
      )}
    </div>
  );
}
