import { useText } from '../text';
import { Empty } from './states';

interface BarsProps {
  readonly items: readonly { readonly name: string; readonly count: number }[];
}

/** A bar chart that is a list as well, so that a screen reader reads its numbers. */
export function Bars({ items }: BarsProps) {
  const { t } = useText();
  if (items.length === 0) return <Empty>{t('Nothing yet.', 'Todavía nada.')}</Empty>;
  const most = Math.max(...items.map(({ count }) => count), 1);
  return (
    <ul className="bars">
      {items.map(({ name, count }) => (
        <li key={name}>
          <span>{name}</span>
          <meter min={0} max={most} value={count} aria-label={name} />
          <span>{count}</span>
        </li>
      ))}
    </ul>
  );
}
