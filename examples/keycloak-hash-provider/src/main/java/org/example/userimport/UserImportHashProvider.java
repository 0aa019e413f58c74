package org.example.userimport;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.keycloak.authentication.AuthenticationFlowError;
import org.keycloak.authentication.AuthenticationFlowException;
import org.keycloak.credential.hash.PasswordHashProvider;
import org.keycloak.models.PasswordPolicy;
import org.keycloak.models.credential.PasswordCredentialModel;
import org.keycloak.util.JsonSerialization;

/** Asks user-import-core whether a password is the old one. Keycloak makes its own hash after the first match. */
public class UserImportHashProvider implements PasswordHashProvider {
    /** A little more than the service takes at most, so that its own answer arrives. */
    private static final long TIMEOUT_MS = 3000;

    /** Shown on the error page. A realm can translate it: its localization takes the text as the key. */
    private static final String MESSAGE = "Signing in is not possible at the moment. Please try again in a minute.";

    /** Shared, because it keeps connections open. It follows no redirects. */
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final URI hook;
    private final Path keyFile;
    private RuntimeException fault;

    UserImportHashProvider(URI hook, Path keyFile) {
        this.hook = hook;
        this.keyFile = keyFile;
    }

    /** Returns false for a wrong password only. Everything that is no answer throws. */
    @Override
    public boolean verify(String password, PasswordCredentialModel credential) {
        fault = null;
        try {
            return ask(password, credential);
        } catch (Exception e) {
            fault = new AuthenticationFlowException(AuthenticationFlowError.GENERIC_AUTHENTICATION_ERROR, e.toString(), MESSAGE);
            fault.initCause(e);
            throw fault;
        }
    }

    private boolean ask(String password, PasswordCredentialModel credential) throws Exception {
        // hashingAlgorithm and hashingSecretId have the same names in credentialData and in the question.
        Map<String, String> question = new HashMap<>();
        credential.getPasswordCredentialData().getAdditionalParameters().forEach((name, values) -> question.put(name, values.get(0)));
        question.put("passwordHash", credential.getPasswordSecretData().getValue());
        question.put("password", password);
        HttpRequest request = HttpRequest.newBuilder(hook)
                // The file is read for every question, so that the key can change without a restart.
                .header("api-key", Files.readString(keyFile).strip())
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofByteArray(JsonSerialization.writeValueAsBytes(question)))
                .build();
        HttpResponse<String> response = send(request);
        if (response.statusCode() != 200) throw new IOException(response.statusCode() + " " + response.body());
        Object status = JsonSerialization.readValue(response.body(), Map.class).get("status");
        if ("MATCH".equals(status)) return true;
        if ("NO_MATCH".equals(status)) return false;
        throw new IOException("Not an answer of the hook: " + response.body());
    }

    /** Limits the time of the whole answer. The time limit of HttpRequest does not include the body. */
    private static HttpResponse<String> send(HttpRequest request) throws Exception {
        CompletableFuture<HttpResponse<String>> answer = CLIENT.sendAsync(request, BodyHandlers.ofString());
        try {
            return answer.get(TIMEOUT_MS, MILLISECONDS);
        } finally {
            answer.cancel(true); // Closes the connection, unless the answer is complete.
        }
    }

    /**
     * Throws the fault again. Keycloak takes an exception of verify for a wrong password, and counts it for its brute
     * force detection. But then it asks for this label of its metrics (since 26.1), outside of its try block.
     */
    @Override
    public String credentialHashingStrength(PasswordCredentialModel credential) {
        if (fault != null) throw fault;
        return PasswordHashProvider.super.credentialHashingStrength(credential);
    }

    /** No hash of this kind is good enough to stay, so Keycloak replaces it. */
    @Override
    public boolean policyCheck(PasswordPolicy policy, PasswordCredentialModel credential) {
        return false;
    }

    /** Keycloak gets here only if a realm's password policy names this provider as its hashing algorithm. */
    @Override
    public PasswordCredentialModel encodedCredential(String password, int iterations) {
        throw new UnsupportedOperationException("user-import verifies old hashes and makes no new ones");
    }

    @Override
    public void close() {}
}
