/** Default numbers of PBKDF2 iterations in the versions of each system, in ascending order. */
export const VERSION_ITERATIONS = {
  /** Django 1.4 to 6.0 (`PBKDF2PasswordHasher.iterations`). */
  django: [
    10_000, 12_000, 15_000, 20_000, 24_000, 30_000, 36_000, 100_000, 120_000, 150_000, 180_000, 216_000,
    260_000, 320_000, 390_000, 600_000, 720_000, 870_000, 1_000_000, 1_200_000,
  ],
  /** Werkzeug before 0.15, and from 0.15, 2.0, 2.3 and 3.1 on (CHANGES.rst). */
  werkzeug: [50_000, 150_000, 260_000, 600_000, 1_000_000],
  /**
   * Systems that store the iterations beside the hash or only in their configuration: Symfony (1000), Grafana
   * (10,000), Keycloak (20,000, 27,500, 30,000, 210,000, 600,000, 1,300,000), FusionAuth (24,000),
   * passport-local-mongoose (25,000), Discourse (64,000, 600,000).
   */
  columns: [1000, 10_000, 20_000, 24_000, 25_000, 27_500, 30_000, 64_000, 210_000, 600_000, 1_300_000],
} as const;
