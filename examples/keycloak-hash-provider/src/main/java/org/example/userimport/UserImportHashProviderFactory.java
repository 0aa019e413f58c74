package org.example.userimport;

import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import org.keycloak.Config;
import org.keycloak.credential.hash.PasswordHashProvider;
import org.keycloak.credential.hash.PasswordHashProviderFactory;
import org.keycloak.models.KeycloakSession;
import org.keycloak.models.KeycloakSessionFactory;

/** Creates a provider for each request, and reads the settings once. */
public class UserImportHashProviderFactory implements PasswordHashProviderFactory {
    private URI hook;
    private Path keyFile;

    /** The "algorithm" in credentialData of the users who have not signed in yet. */
    @Override
    public String getId() {
        return "user-import";
    }

    /** Keycloak does not start without the settings, because every first sign-in would fail. */
    @Override
    public void init(Config.Scope config) {
        hook = URI.create(setting(config, "url", "USER_IMPORT_URL")).resolve("/hooks/hash");
        keyFile = Path.of(setting(config, "key-file", "USER_IMPORT_KEY_FILE"));
    }

    /** Options such as --spi-password-hashing--user-import--url go before the environment. */
    private static String setting(Config.Scope config, String name, String variable) {
        return Objects.requireNonNull(config.get(name, System.getenv(variable)), variable + " is not set");
    }

    @Override
    public PasswordHashProvider create(KeycloakSession session) {
        return new UserImportHashProvider(hook, keyFile);
    }

    @Override
    public void postInit(KeycloakSessionFactory factory) {}

    @Override
    public void close() {}
}
