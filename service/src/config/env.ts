/** The one place that reads the environment of the process. */
export const environment: Readonly<Record<string, string | undefined>> = process.env
