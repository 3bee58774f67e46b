import type { Command } from './command.ts'

/** A command is loaded when it runs, so that `serve` does not load the others. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  config: async () => (await import('./config.ts')).config,
  site: async () => (await import('./site.ts')).site,
  app: async () => (await import('./app.ts')).app,
  account: async () => (await import('./account.ts')).account,
  audit: async () => (await import('./audit.ts')).audit,
  key: async () => (await import('./key.ts')).key,
  rejects: async () => (await import('./rejects.ts')).rejects,
  import: async () => (await import('./import.ts')).importFiles,
  export: async () => (await import('./export.ts')).exportRecords,
  records: async () => (await import('./records.ts')).records,
  changes: async () => (await import('./changes.ts')).changes,
  undo: async () => (await import('./undo.ts')).undo,
  recompute: async () => (await import('./recompute.ts')).recompute,
  notifications: async () => (await import('./notifications.ts')).notifications,
  maintenance: async () => (await import('./maintenance.ts')).maintenance,
  seal: async () => (await import('./seal.ts')).seal,
  unseal: async () => (await import('./unseal.ts')).unseal,
  retention: async () => (await import('./retention.ts')).retention,
  certificate: async () => (await import('./certificate.ts')).certificate,
  storage: async () => (await import('./storage.ts')).storage,
  migrate: async () => (await import('./migrate.ts')).migrate,
  backup: async () => (await import('./backup.ts')).backup,
  health: async () => (await import('./health.ts')).health,
  restore: async () => (await import('./restore.ts')).restore,
  doctor: async () => (await import('./doctor.ts')).doctor,
  demo: async () => (await import('./demo.ts')).demo,
  completion: async () => (await import('./completion.ts')).completion,
}

/** Flags of every command. */
export const COMMON_OPTIONS = {
  data: { type: 'string' },
  storage: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Command['options']

/** Loads all commands with their names. */
export const loadCommands = (): Promise<{ name: string; command: Command }[]> =>
  Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => ({ name, command: await load() })),
  )
