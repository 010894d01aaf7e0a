/** A counter of one part of the service; metrics add the service's prefix to its name. */
export interface Figure {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** As Prometheus reads counters (text format 0.0.4): figures of one name together, under their help. */
export function figuresText(prefix: string, figures: readonly Figure[]): string {
  const byName = new Map<string, Figure[]>();
  for (const figure of figures) byName.set(figure.name, [...(byName.get(figure.name) ?? []), figure]);
  return [...byName]
    .map(([name, all]) => {
      const lines = all.map(({ labels, value }) => `${prefix}${name}${labelsText(labels)} ${value}`);
      return [`# HELP ${prefix}${name} ${all[0]?.help ?? ''}`, `# TYPE ${prefix}${name} counter`, ...lines, ''].join(
        '\n',
      );
    })
    .join('\n');
}

const labelsText = (labels: Figure['labels']): string => {
  const told = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return told.length === 0 ? '' : `{${told.join(',')}}`;
};
