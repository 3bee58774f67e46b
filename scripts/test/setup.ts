// Loaded by each process of the tests before the first of them.
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['TEST_SEED']) })

// Services that a test has started end with its process, which by a signal alone they would not.
process.once('SIGTERM', () => process.exit(1))
