const given = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

export const IN_FLIGHT = 64;
/** Deliveries per round of the ratio. */
export const DELIVERIES = given('BENCH_WEBHOOK_DELIVERIES', 20_000);
export const ROUNDS = given('BENCH_WEBHOOK_ROUNDS', 3);
/** Number of events with a timed delivery. */
export const SAMPLES = given('BENCH_WEBHOOK_SAMPLES', 300);
/** Number of pending deliveries for the receiver that never answers. */
export const PENDING = given('BENCH_WEBHOOK_PENDING', 100_000);

/** The receivers of benchmarks run on this machine. */
export const OPEN_LOOPBACK = { SERVICE_WEBHOOK_ALLOW_HTTP: 'true', SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
