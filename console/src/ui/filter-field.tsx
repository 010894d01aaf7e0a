import { useEffect, useState } from 'react';
import { Field } from './parts';

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
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = (): void => {
    if (typed.trim() !== value) onApply(typed.trim());
  };
  return (
    <Field
      label={label}
      type="search"
      value={typed}
      onChange={setTyped}
      onDone={apply}
      {...(hint === undefined ? {} : { hint })}
    />
  );
}
